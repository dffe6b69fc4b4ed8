/** Returns today's date in UTC. */
export const todayUtc = (): string => new Date().toISOString().slice(0, 10);

/**
 * Runs `work` with a name of its own. If it failed because midnight UTC came meanwhile, and with it a new day for
 * Postgres, runs it once more with another name.
 */
export const onOneDay = async (work: (name: string) => Promise<void>): Promise<void> => {
  const day = todayUtc();
  try {
    await work('kim');
  } catch (error) {
    if (todayUtc() === day) throw error;
    await work('kim-next');
  }
};
