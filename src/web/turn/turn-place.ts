import { createContext } from 'react';

/** Which turn is drawn, for what reads more of it when somebody asks. */
export const TurnPlace = createContext({ projectId: '', turnId: '' });
