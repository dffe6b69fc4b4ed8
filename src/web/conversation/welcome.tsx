const EXAMPLES = ['List the files, then read README.md', 'Write a 300-line file docs/a.md'];

/** Greets a person in an empty conversation, and offers example messages to send. */
export const Welcome = ({ onSend }: { onSend: (message: string) => void }) => (
  <section className="welcome">
    <h2>What shall be done?</h2>
    <p>Orion reads and writes the files of its workspace, and an answer survives whatever stops meanwhile.</p>
    <ul>
      {EXAMPLES.map((example) => (
        <li key={example}>
          <button type="button" onClick={() => onSend(example)}>
            {example}
          </button>
        </li>
      ))}
    </ul>
  </section>
);
