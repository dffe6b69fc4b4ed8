/** Takes one segment in; a path may have 100,000 of them, so nothing is copied. */
const foldSegment = (folded: string[], segment: string, absolute: boolean): void => {
  if (segment === '' || segment === '.') return;
  if (segment !== '..') folded.push(segment);
  else if (folded.length > 0 && folded.at(-1) !== '..') folded.pop();
  else if (!absolute) folded.push('..');
};

/**
 * One spelling for all spellings of a path, by its text alone (docs/protocol.md "Duplicates"): `\` is `/`, `.` and `..`
 * are folded, no leading `./`, no doubled or trailing `/`, nothing is `.`. Case stays: file systems differ.
 */
export const foldPath = (path: string): string => {
  const unified = path.replaceAll('\\', '/');
  const absolute = unified.startsWith('/');
  const segments: string[] = [];
  for (const segment of unified.split('/')) foldSegment(segments, segment, absolute);
  return (absolute ? '/' : '') + segments.join('/') || '.';
};
