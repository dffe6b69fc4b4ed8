/** Shows why a message is too long. It is always rendered, since screen readers announce what changes in it. */
export const TooLongMessage = ({ words }: { words: string | undefined }) => (
  <p className="fact too-long" role="status">
    {words}
  </p>
);
