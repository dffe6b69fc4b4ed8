import { CopyButton } from './copy-button.tsx';

/** What a tool was given or has said, as it is. */
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
