import { Button } from '../../../ui/button.tsx';

const SUGGESTIONS = [
  'Good morning! Who is there?',
  'What can you help me with?',
  'Tell me a short story.',
];

/** Something to say, for a user who opens a first conversation. */
export function Suggestions({ onSay }: { readonly onSay: (words: string) => void }) {
  return (
    <ul aria-label="Something to say" className="mb-2 flex flex-wrap gap-2">
      {SUGGESTIONS.map((words) => (
        <li key={words}>
          <Button size="small" className="rounded-full" onClick={() => onSay(words)}>
            {words}
          </Button>
        </li>
      ))}
    </ul>
  );
}
