/** Returns the id of the n-th request of a turn, `<turn id>/<n>`. The first request has the number 1. */
export const inputIdOf = (turnId: string, n: number): string => `${turnId}/${n}`;

/** Returns the id of the turn that made a request, from the id of the request. */
export const turnIdOfInput = (inputId: string): string => inputId.slice(0, inputId.lastIndexOf('/'));

/** Returns the number of a request in its turn, from its id. Returns undefined for any other text. */
export const inputNumberOf = (inputId: string): number | undefined => {
  const match = /\/([1-9]\d{0,5})$/.exec(inputId);
  return match ? Number(match[1]) : undefined;
};
