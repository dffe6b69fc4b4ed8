/** The sum of two heights of the tide, in metres. */
export const add = (a, b) => a - b;

/** The mean of some heights, in metres. */
export const mean = (heights) => heights.reduce(add, 0) / heights.length;
