/** The first words of the system prompt of a call that summarises: the demo model recognises the call by them. */
export const SUMMARISES = 'You write summaries of conversations';
