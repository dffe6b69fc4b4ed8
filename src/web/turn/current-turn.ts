import { createContext } from 'react';

/** The turn around a component, for components that read more of it on request. */
export const CurrentTurn = createContext({ projectId: '', turnId: '' });
