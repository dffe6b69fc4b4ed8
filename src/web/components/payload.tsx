import { CopyButton } from './copy-button.tsx';

/** Shows the arguments or the result of a tool unchanged. */
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
