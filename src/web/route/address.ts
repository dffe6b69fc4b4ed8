/* What the page shows, as its address names it, so that it can be opened again. All functions here are pure. */
import { idSchema } from '../../contracts/values/ids.ts';

/** What the page shows. `turnId` is the turn that was begun or chosen last, or that a link leads to. */
export interface PageRoute {
  readonly projectId: string;
  readonly conversationId: string;
  readonly turnId?: string;
  /**
   * The view of the project that is shown instead of the conversation: its figures by day, or its files, with marks for
   * those that the turn has changed.
   */
  readonly view?: ProjectView;
  /** Number of days that the view by day shows. Absent means `DEFAULT_DAY_SPAN`. */
  readonly days?: number;
  /** Text that the titles of the listed conversations contain. Absent means that all conversations are listed. */
  readonly search?: string;
}

/** Goes to a route. With `replace`, the route takes the place of the present one in the history of the browser. */
export type Navigate = (route: PageRoute, replace?: 'replace') => void;

/** A view of a project beside its conversations. */
export type ProjectView = (typeof VIEWS)[number];
const VIEWS = ['days', 'files'] as const;

/** The spans that the view by day offers, in days. */
export const DAY_SPANS: readonly number[] = [7, 30, 90, 366];
/** The span, in days, of an address that names none. */
export const DEFAULT_DAY_SPAN = 30;

/** Largest number of characters in a search that the gateway accepts (docs/http-api.md). */
export const MAX_SEARCH_CHARACTERS = 200;

/** The project that addresses of the page leave out (`projectOfAddress`). */
export const DEFAULT_PROJECT = 'default';

/** Matches control characters, which the gateway refuses in a search. */
const CONTROL = /\p{Cc}/gu;

/**
 * Reads the query part of an address. Fields that it does not name, or not validly, are absent. A search that is too
 * long is cut.
 */
export const readAddress = (search: string): Partial<PageRoute> => {
  const fields = new URLSearchParams(search);
  const idOf = (name: string): string | undefined => {
    const id = idSchema.safeParse(fields.get(name));
    return id.success ? id.data : undefined;
  };
  const view = VIEWS.find((each) => each === fields.get('view'));
  const days = DAY_SPANS.find((each) => String(each) === fields.get('days'));
  const searchText = fields.get('search')?.replaceAll(CONTROL, '').slice(0, MAX_SEARCH_CHARACTERS) ?? '';
  const [projectId, conversationId, turnId] = ['project', 'conversation', 'turn'].map(idOf);
  return {
    ...(projectId !== undefined && { projectId }),
    ...(conversationId !== undefined && { conversationId }),
    ...(turnId !== undefined && { turnId }),
    ...(view !== undefined && { view }),
    ...(days !== undefined && { days }),
    ...(searchText !== '' && { search: searchText }),
  };
};

/**
 * Returns the project of an address. An address that names none belongs to `DEFAULT_PROJECT`, unless it leads nowhere
 * yet or the person may not use that project. Then it belongs to the first of `projects`, which are those that the
 * person may use. Null means all.
 */
export const projectOfAddress = (
  { projectId, conversationId, view }: Partial<PageRoute>,
  projects: readonly string[] | null,
): string => {
  if (projectId !== undefined) return projectId;
  const [first = DEFAULT_PROJECT] = projects ?? [];
  const leadsSomewhere = conversationId !== undefined || view !== undefined;
  return leadsSomewhere && projects?.includes(DEFAULT_PROJECT) === true ? DEFAULT_PROJECT : first;
};

/**
 * Returns the query part of the address of a route, with the leading `?`. Fields with default values are left out, and
 * so is the conversation of a route with a view.
 */
export const writeAddress = (route: PageRoute): string => {
  const { projectId, conversationId, turnId, view, days = DEFAULT_DAY_SPAN, search = '' } = route;
  const fields = new URLSearchParams();
  if (projectId !== DEFAULT_PROJECT) fields.set('project', projectId);
  if (view === undefined) fields.set('conversation', conversationId);
  else fields.set('view', view);
  if (turnId !== undefined) fields.set('turn', turnId);
  if (days !== DEFAULT_DAY_SPAN) fields.set('days', String(days));
  if (search !== '') fields.set('search', search);
  return `?${fields.toString()}`;
};

/** Returns the address of the view of a project's files, which marks those that a turn has changed. */
export const filesAddress = (projectId: string, turnId: string): string =>
  writeAddress({ projectId, conversationId: '', turnId, view: 'files' });
