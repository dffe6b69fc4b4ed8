/** Search attributes of Orion's workflows, all Keywords (docs/turns.md "turnWorkflow"). */
const keyword = (name: string) => ({ name, type: 'KEYWORD' }) as const;

export const ORION_PROJECT = keyword('OrionProject');
export const ORION_CONVERSATION = keyword('OrionConversation');
export const ORION_PROTOCOL = keyword('OrionProtocol');
export const ORION_STATUS = keyword('OrionStatus');
export const ORION_SESSION = keyword('OrionSession');

export const searchAttributeKeys = [
  ORION_PROJECT,
  ORION_CONVERSATION,
  ORION_PROTOCOL,
  ORION_STATUS,
  ORION_SESSION,
] as const;
