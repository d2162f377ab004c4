import { type MarkedToken, marked, type Token } from 'marked';
import { Fragment, memo, type ReactNode } from 'react';
import { classNames } from '../../../ui/class-names.ts';
import { CodeBlock } from './code-block.tsx';
import { InlineCode, List, Quote, SafeLink, Strong } from './marks.tsx';
import { numbered } from './numbered.ts';
import { Table } from './table.tsx';

/** Longer texts are shown as they are: to look for marks in a hostile one takes a time that grows with its square. */
const MAX_LENGTH = 12_000;
/** Quotes and lists in each other, deeper than any reader can follow and than the stack reaches. */
const TOO_DEEP = /^(?:[ \t]*(?:>|[-+*]|\d+[.)])[ \t]*){12}/m;

/** Each line of such a word takes the time to shape the rest of it, unless the font's letters stand alone: 20 s for 32,000. */
const LONG_WORD = /\S{400}/;

/** Shows a message. Marks of Markdown become elements of ours, and all else is text: markup, unsafe links, unknown marks. */
export const Markdown = memo(({ text }: { readonly text: string }) => (
  <div
    dir="auto"
    className={classNames(
      'flex min-w-0 flex-col gap-2 wrap-anywhere',
      LONG_WORD.test(text) && '[font-kerning:none]',
    )}
  >
    {markdownOf(text)}
  </div>
));
Markdown.displayName = 'Markdown';

/** Returns the elements of a text. */
function markdownOf(text: string): ReactNode {
  if (text.length > MAX_LENGTH || TOO_DEEP.test(text))
    return <p className="whitespace-pre-wrap">{text}</p>;
  return nodes(marked.lexer(text, { gfm: true, breaks: true }));
}

function nodes(tokens: readonly Token[]): ReactNode {
  return numbered(tokens).map(({ item, position }) => (
    <Fragment key={position}>{isMarked(item) ? node(item) : item.raw}</Fragment>
  ));
}

const TYPES: ReadonlySet<string> = new Set(
  [
    'blockquote br checkbox code codespan def del em escape heading hr html image link list',
    'list_item paragraph space strong table text',
  ].flatMap((types) => types.split(' ')),
);

function isMarked(token: Token): token is MarkedToken {
  return TYPES.has(token.type);
}

function node(token: MarkedToken): ReactNode {
  switch (token.type) {
    case 'paragraph':
      return <p>{nodes(token.tokens)}</p>;
    case 'heading':
      return (
        <p>
          <Strong>{nodes(token.tokens)}</Strong>
        </p>
      );
    case 'blockquote':
      return <Quote>{nodes(token.tokens)}</Quote>;
    case 'code':
      return <CodeBlock text={token.text} language={token.lang} />;
    case 'table':
      return <Table header={token.header} rows={token.rows} render={nodes} />;
    case 'list':
      return <List start={token.ordered ? Number(token.start) : null}>{nodes(token.items)}</List>;
    case 'list_item':
      return <li className="ps-1">{nodes(token.tokens)}</li>;
    case 'hr':
      return <hr className="border-line" />;
    case 'space':
      return '';
    case 'br':
      return <br />;
    case 'text':
      return token.tokens ? nodes(token.tokens) : token.text;
    case 'escape':
      return token.text;
    case 'strong':
      return <Strong>{nodes(token.tokens)}</Strong>;
    case 'em':
      return <em>{nodes(token.tokens)}</em>;
    case 'del':
      return <del>{nodes(token.tokens)}</del>;
    case 'codespan':
      return <InlineCode>{token.text}</InlineCode>;
    case 'checkbox':
      return token.checked ? '☑ ' : '☐ ';
    case 'link':
      return <SafeLink {...token}>{nodes(token.tokens)}</SafeLink>;
    case 'image':
      // Never an image: loading it would tell its server who reads this.
      return <SafeLink {...token}>{token.text || token.href}</SafeLink>;
    case 'def':
    case 'html':
      break;
  }
  return token.raw;
}
