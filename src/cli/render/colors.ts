import pc from 'picocolors';

/** Functions that colour a text, or leave it as it is. */
export type Colors = ReturnType<typeof pc.createColors>;

export const createColors = (enabled: boolean): Colors => pc.createColors(enabled);
