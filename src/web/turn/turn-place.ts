import { createContext } from 'react';

/** The turn that is drawn, for parts that read more of it when somebody asks. */
export const TurnPlace = createContext({ projectId: '', turnId: '' });
