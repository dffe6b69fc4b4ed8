import { CopyButton } from './copy-button.tsx';

/** Shows a text unchanged, such as the arguments or the result of a tool, with a button that copies it. */
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
