/** How the system prompt of a model call begins that summarises: what the demo model knows it by. */
export const SUMMARISES = 'You write summaries of conversations';
