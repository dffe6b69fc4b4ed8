const foldSegment = (folded: string[], segment: string, absolute: boolean): string[] => {
  if (segment === '' || segment === '.') return folded;
  if (segment !== '..') return [...folded, segment];
  if (folded.length > 0 && folded.at(-1) !== '..') return folded.slice(0, -1);
  return absolute ? folded : [...folded, '..'];
};

/**
 * One spelling for all spellings of a path, by its text alone (protocol.md "Duplicates"): `\` is `/`, `.` and `..`
 * are folded, no leading `./`, no doubled or trailing `/`, nothing is `.`. Case stays: file systems differ.
 */
export const foldPath = (path: string): string => {
  const unified = path.replaceAll('\\', '/');
  const absolute = unified.startsWith('/');
  const segments = unified
    .split('/')
    .reduce<string[]>((folded, segment) => foldSegment(folded, segment, absolute), []);
  return (absolute ? '/' : '') + segments.join('/') || '.';
};
