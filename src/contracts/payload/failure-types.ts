/** `ApplicationFailure.type` of activities whose run may not act any more (docs/events.md). */
export const TURN_SUPERSEDED = 'turn_superseded';
