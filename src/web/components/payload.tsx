import { CopyButton } from './copy-button.tsx';

/** The arguments or the result of a tool, as they are. */
export const Payload = ({ title, text }: { title: string; text: string }) => (
  <figure className="code" dir="ltr">
    <figcaption>
      <span>{title}</span>
      <CopyButton text={text} what={title.toLowerCase()} />
    </figcaption>
    <pre tabIndex={0}>
      <code>{text}</code>
    </pre>
  </figure>
);
