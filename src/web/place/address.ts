/**
 * The conversation that the page shows, as its address says it: whoever opens the address again sees the same. Pure.
 */

/** A place of the page. `turnId`: the turn that was asked for last, or that a link leads to. */
export interface Place {
  readonly projectId: string;
  readonly conversationId: string;
  readonly turnId?: string;
  /**
   * The view of the project that is shown instead of the conversation: by day, or its files with what the turn has
   * changed.
   */
  readonly view?: ProjectView;
}

/** A view of a project beside its conversations. */
export type ProjectView = (typeof VIEWS)[number];
const VIEWS = ['days', 'files'] as const;

/** The project that a page without one in its address speaks in. */
export const DEFAULT_PROJECT = 'default';

/** Ids as the gateway takes them (docs/http-api.md "Ids"); anything else in an address counts as absent. */
const ID = /^[A-Za-z0-9_.:-]{1,128}$/;

/** Reads an address; the fields that it does not name are absent. */
export const readAddress = (search: string): Partial<Place> => {
  const fields = new URLSearchParams(search);
  const idOf = (name: string): string | undefined => {
    const id = fields.get(name) ?? '';
    return ID.test(id) ? id : undefined;
  };
  const view = VIEWS.find((each) => each === fields.get('view'));
  const [projectId, conversationId, turnId] = ['project', 'conversation', 'turn'].map(idOf);
  return {
    ...(projectId !== undefined && { projectId }),
    ...(conversationId !== undefined && { conversationId }),
    ...(turnId !== undefined && { turnId }),
    ...(view !== undefined && { view }),
  };
};

/** The query part of the address of a place, which `readAddress` reads as the same place. */
export const writeAddress = ({ projectId, conversationId, turnId, view }: Place): string => {
  const fields = new URLSearchParams();
  if (projectId !== DEFAULT_PROJECT) fields.set('project', projectId);
  if (view === undefined) fields.set('conversation', conversationId);
  else fields.set('view', view);
  if (turnId !== undefined) fields.set('turn', turnId);
  return `?${fields.toString()}`;
};

/** The address of the files of a project, with what a turn of it has changed. */
export const filesAddress = (projectId: string, turnId: string): string =>
  writeAddress({ projectId, conversationId: '', turnId, view: 'files' });
