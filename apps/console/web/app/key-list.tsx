import { useSelector } from '@tanstack/react-store';
import { useService } from '../service/service.ts';
import { Dialog } from '../ui/dialog.tsx';
import { Checkbox } from '../ui/field.tsx';
import { Kbd } from '../ui/kbd.tsx';
import { commandKey } from './command-key.ts';

const EVERYWHERE = [
  [commandKey('K'), 'Go to anything'],
  ['?', 'This list'],
] as const;

const IN_A_CONVERSATION = [
  ['/', 'Write'],
  ['Enter', 'Send'],
  ['Shift+Enter', 'New line'],
  ['Space', 'Hold to talk'],
  ['M', 'Mute or unmute'],
  ['J', 'Next message'],
  ['K', 'Previous message'],
  ['G', 'To the end'],
  ['[', 'Previous gap'],
  [']', 'Next gap'],
  ['L', 'Logs of the agent'],
] as const;

export function KeyList({ onClose }: { readonly onClose: () => void }) {
  return (
    <Dialog
      isOpen
      onClose={onClose}
      title="Keys"
      description="All of this works with the pointer too. While you write in a field, keys write."
    >
      <div className="grid gap-5">
        <Keys title="Everywhere" keys={EVERYWHERE} />
        <Keys title="In a conversation" keys={IN_A_CONVERSATION} />
        <SingleKeysSwitch />
      </div>
    </Dialog>
  );
}

function SingleKeysSwitch() {
  const { singleKeys } = useService();
  return (
    <Checkbox
      label="Use single keys"
      name="singleKeys"
      hint={`All but ${commandKey('K')}. Turn them off if you speak to your computer, or press keys by accident.`}
      checked={useSelector(singleKeys) === 'on'}
      onChange={({ currentTarget: { checked } }) =>
        singleKeys.setState(() => (checked ? 'on' : 'off'))
      }
    />
  );
}

interface KeysProps {
  readonly title: string;
  readonly keys: readonly (readonly [key: string, does: string])[];
}

function Keys({ title, keys }: KeysProps) {
  return (
    <section>
      <h3 className="mb-1 font-medium text-ink-3 text-label">{title}</h3>
      <dl className="divide-y divide-line">
        {keys.map(([key, does]) => (
          <div key={key} className="flex items-center justify-between gap-4 py-1.5">
            <dt className="text-control">{does}</dt>
            <dd>
              <Kbd>{key}</Kbd>
            </dd>
          </div>
        ))}
      </dl>
    </section>
  );
}
