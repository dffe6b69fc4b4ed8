/**
 * Path of the ripgrep binary that the installation brought. Looked for at the first search, so that a platform
 * without one lacks the search and nothing else. Rejects when there is none.
 */
export const ripgrepProgram = async (): Promise<string> => {
  try {
    const { rgPath } = await import('@vscode/ripgrep');
    return rgPath;
  } catch (cause) {
    const platform = `${process.platform}-${process.arch}`;
    throw new Error(`search is not available: ripgrep is not installed for ${platform}`, { cause });
  }
};
