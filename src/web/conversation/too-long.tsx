/** Says why a message cannot be sent as it is. Always there: screen readers tell what comes into it. */
export const TooLong = ({ words }: { words: string | undefined }) => (
  <p className="fact too-long" role="status">
    {words}
  </p>
);
