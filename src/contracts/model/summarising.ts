/** The first words of the system prompt of a call that summarises: the demo model recognises the call by them. */
export const SUMMARY_PROMPT_START = 'You write summaries of conversations';
