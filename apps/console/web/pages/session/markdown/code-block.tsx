import { CopyButton } from '../../../ui/copy-button.tsx';
import { scrollable } from '../../../ui/scrollable.ts';

interface CodeBlockProps {
  readonly text: string;
  readonly language: string | undefined;
}

/** Code of a message. Its long lines scroll by themselves. */
export function CodeBlock({ text, language }: CodeBlockProps) {
  const name = language || 'code';
  return (
    <figure aria-label={name} className="overflow-hidden rounded-card border border-line bg-sunken">
      <figcaption className="flex items-center justify-between gap-2 border-line border-b ps-3 pe-1 text-ink-3 text-label">
        <span className="truncate font-mono">{name}</span>
        <CopyButton text={text} label="Copy code" />
      </figcaption>
      <pre ref={scrollable} dir="ltr" className="overflow-x-auto p-3 font-mono text-label">
        <code>{text}</code>
      </pre>
    </figure>
  );
}
