import { type SyntheticEvent, useState } from 'react';
import { Dialog, type DialogState, FormActions } from '../../ui/dialog.tsx';
import { TextArea } from '../../ui/field.tsx';
import { parseEnvFile } from './env-file.ts';

interface PasteDialogProps extends DialogState {
  readonly onPaste: (variables: ReadonlyMap<string, string>) => void;
}

/** Pasted text stays in the page until the template is saved. */
export function PasteDialog(props: PasteDialogProps) {
  const { isOpen, onClose } = props;
  return (
    <Dialog
      isOpen={isOpen}
      onClose={onClose}
      title="Paste a .env file"
      description="One NAME=value a line; quotes, comments and export are understood."
      width="medium"
    >
      <PasteForm {...props} />
    </Dialog>
  );
}

function PasteForm({ onClose, onPaste }: PasteDialogProps) {
  const [text, setText] = useState('');
  const { variables, faultyLines } = parseEnvFile(text);
  const take = (event: SyntheticEvent) => {
    event.preventDefault();
    if (variables.size === 0) return;
    onPaste(variables);
    onClose();
  };
  return (
    <form onSubmit={take}>
      <TextArea
        label="Text of the file"
        rows={10}
        value={text}
        onChange={({ target: { value } }) => setText(value)}
        autoComplete="off"
        spellCheck={false}
        placeholder={'LLM_API_KEY=…\nLLM_MODEL="…"'}
        error={faultText(faultyLines)}
      />
      <output className="mt-2 block min-h-4 text-ink-3 text-label">
        {text.trim() === '' ? '' : countText(variables.size)}
      </output>
      <FormActions onClose={onClose} submitLabel="Take over" isDisabled={variables.size === 0} />
    </form>
  );
}

function countText(count: number): string {
  return count === 1 ? '1 variable found.' : `${count} variables found.`;
}

function faultText(lines: readonly number[]): string | null {
  if (lines.length === 0) return null;
  const [first] = lines;
  if (lines.length === 1) return `Line ${first} is not a variable. It is left out.`;
  return `${lines.length} lines are not variables, and are left out: ${lines.slice(0, 20).join(', ')}.`;
}
