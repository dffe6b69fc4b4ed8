/** `ApplicationFailure.type` of activities whose run may not act any more (turns.md "Events and ids"). */
export const TURN_SUPERSEDED = 'turn_superseded';
