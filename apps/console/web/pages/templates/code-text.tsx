interface Part {
  readonly at: number;
  readonly text: string;
  readonly isCode: boolean;
}

export function CodeText({ text }: { readonly text: string }) {
  return partsOf(text).map((part) =>
    part.isCode ? (
      <code key={part.at} className="font-mono text-label wrap-anywhere">
        {part.text}
      </code>
    ) : (
      part.text
    ),
  );
}

function partsOf(text: string): Part[] {
  let at = 0;
  return text.split('`').map((part, index) => {
    const found = { at, text: part, isCode: index % 2 === 1 };
    at += part.length + 1;
    return found;
  });
}
