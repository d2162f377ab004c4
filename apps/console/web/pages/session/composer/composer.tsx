import type { Conversation } from '@session/client';
import type { BrowserRoom } from '@session/client/browser';
import { useRoom, useTimeline } from '@session/client/react';
import { SendHorizontal } from 'lucide-react';
import {
  type KeyboardEvent,
  type RefObject,
  useId,
  useLayoutEffect,
  useRef,
  useState,
} from 'react';
import { usePageKeys } from '../../../service/use-page-keys.ts';
import { Button, IconButton } from '../../../ui/button.tsx';
import { isComposing } from '../../../ui/composing.ts';
import { toast } from '../../../ui/toast.tsx';
import { DeviceMenu } from '../voice/device-menu.tsx';
import { MicrophoneButton } from '../voice/microphone-button.tsx';
import { placeholderOf } from '../voice/microphone-texts.ts';
import type { KeptWords } from './kept-words.ts';
import { sizeProblem } from './message-size.ts';

interface ComposerProps {
  readonly conversation: Conversation;
  readonly room: BrowserRoom;
  readonly kept: KeptWords;
  readonly isFirst: boolean;
  readonly onSaid: () => void;
}

/**
 * The field in which the user writes, and the microphone. The field stays usable while nothing can be sent, and messages wait
 * until they can be sent.
 */
export function Composer({ conversation, room, kept, isFirst, onSaid }: ComposerProps) {
  const field = useRef<HTMLTextAreaElement>(null);
  const [text, setText] = useState(() => kept.draft);
  const write = (next: string) => {
    kept.keepDraft(next);
    setText(next);
  };
  const say = (words: string) => {
    if (words.trim() === '' || sizeProblem(words)) return;
    write('');
    onSaid();
    field.current?.focus();
    conversation.say(words).catch(() => {
      // The message is not in the list, because the name of the user could not be read. Its words return to the field, before
      // later words.
      write([words, field.current?.value ?? ''].filter((part) => part !== '').join('\n'));
      toast('The message could not be sent yet. Check the connection and send it again.');
    });
  };
  usePageKeys((event) => {
    if (event.key !== '/') return;
    event.preventDefault();
    field.current?.focus();
  });
  const { microphone } = useRoom(room);
  const problem = sizeProblem(text);
  const hint = useId();
  return (
    <>
      {isFirst && text === '' && <Suggestions onSay={say} />}
      <div className="flex items-end gap-1 rounded-dialog border border-line bg-surface p-1.5 transition-colors focus-within:border-ink-3">
        <span className="flex">
          <MicrophoneButton room={room} />
          <DeviceMenu room={room} />
        </span>
        <Field
          {...{ field, text, write, hint }}
          isRefused={problem !== undefined}
          placeholder={placeholderOf(microphone)}
          onEnter={() => say(text)}
        />
        <JoinButton conversation={conversation} onJoined={() => field.current?.focus()} />
        <IconButton
          label="Send"
          shortcut="Enter"
          variant={text.trim() === '' ? 'quiet' : 'primary'}
          disabled={text.trim() === '' || problem !== undefined}
          className="size-9 rounded-full"
          onClick={() => say(text)}
        >
          <SendHorizontal aria-hidden size={18} />
        </IconButton>
      </div>
      <ComposerHint id={hint} {...{ conversation, problem }} />
    </>
  );
}

interface FieldProps {
  readonly field: RefObject<HTMLTextAreaElement | null>;
  readonly text: string;
  readonly write: (text: string) => void;
  readonly hint: string;
  readonly isRefused: boolean;
  readonly placeholder: string;
  readonly onEnter: () => void;
}

function Field({ field, text, write, hint, isRefused, placeholder, onEnter }: FieldProps) {
  useLayoutEffect(() => {
    const { current } = field;
    // The field is as high as its text, as far as its style allows.
    if (current) fitHeight(current, text);
  }, [field, text]);
  const press = (event: KeyboardEvent) => {
    if (event.key !== 'Enter' || event.shiftKey || isComposing(event.nativeEvent)) return;
    event.preventDefault();
    onEnter();
  };
  return (
    <textarea
      ref={field}
      rows={1}
      dir="auto"
      aria-label="Message"
      aria-describedby={hint}
      aria-invalid={isRefused || undefined}
      placeholder={placeholder}
      value={text}
      onChange={({ currentTarget }) => write(currentTarget.value)}
      onKeyDown={press}
      className="max-h-48 min-w-0 flex-1 resize-none bg-transparent px-1 py-1.5 text-body outline-none placeholder:text-ink-3"
    />
  );
}

function fitHeight(field: HTMLTextAreaElement, text: string): void {
  field.style.height = 'auto';
  if (text !== '') field.style.height = `${field.scrollHeight}px`;
}

interface ComposerHintProps {
  readonly id: string;
  readonly conversation: Conversation;
  readonly problem: string | undefined;
}

/** The line below the field. Its height never changes, so that nothing moves when the user joins. */
function ComposerHint({ id, conversation, problem }: ComposerHintProps) {
  const { mode } = useTimeline(conversation);
  const hint =
    mode === 'history'
      ? 'You are looking: nobody in the room sees you. The first words join.'
      : 'Enter sends, Shift and Enter begins a line';
  return (
    <p id={id} className="px-3 pt-1 text-label">
      {problem ? (
        <span role="alert" className="text-gap">
          {problem}
        </span>
      ) : (
        <span className="hidden text-ink-3 sm:inline">{hint}</span>
      )}
    </p>
  );
}

interface JoinButtonProps {
  readonly conversation: Conversation;
  readonly onJoined: () => void;
}

function JoinButton({ conversation, onJoined }: JoinButtonProps) {
  const { mode } = useTimeline(conversation);
  if (mode !== 'history') return null;
  const join = () => {
    conversation.setMode('join');
    onJoined();
  };
  return (
    <Button className="rounded-full" onClick={join}>
      Join
    </Button>
  );
}

const SUGGESTIONS = [
  'Good morning! Who is there?',
  'What can you help me with?',
  'Tell me a short story.',
];

function Suggestions({ onSay }: { readonly onSay: (words: string) => void }) {
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
