/** Returns the key of a search attribute. All of Orion's have the type Keyword (docs/temporal.md "Lists"). */
const keyword = (name: string) => ({ name, type: 'KEYWORD' }) as const;

/** Search attribute: the project of a turn or write session. */
export const ORION_PROJECT = keyword('OrionProject');
/** Search attribute: the conversation of a turn. */
export const ORION_CONVERSATION = keyword('OrionConversation');
/** Search attribute: the protocol of a turn. */
export const ORION_PROTOCOL = keyword('OrionProtocol');
/** Search attribute: the stage of a turn or write session, or how it ended. */
export const ORION_STATUS = keyword('OrionStatus');
/** Search attribute: the id of a write session. */
export const ORION_SESSION = keyword('OrionSession');

/** All search attributes, as they are registered with a namespace. */
export const SEARCH_ATTRIBUTE_KEYS = [
  ORION_PROJECT,
  ORION_CONVERSATION,
  ORION_PROTOCOL,
  ORION_STATUS,
  ORION_SESSION,
] as const;
