import { createContext } from 'react';

/** The turn that is drawn, for parts that read more of it on request. */
export const CurrentTurn = createContext({ projectId: '', turnId: '' });
