/**
 * Shows by how much a message is too long. It is always rendered, because screen readers announce only changes in an
 * element that is already there.
 */
export const TooLongMessage = ({ words }: { words: string | undefined }) => (
  <p className="fact too-long" role="status">
    {words}
  </p>
);
