import { X } from 'lucide-react';
import { type ReactNode, type SyntheticEvent, useId, useState } from 'react';
import { Button, IconButton } from './button.tsx';
import { classNames } from './class-names.ts';
import { ErrorNotice } from './error-notice.tsx';
import { useModal } from './use-modal.ts';
import { useSubmit } from './use-submit.ts';

export interface DialogState {
  readonly isOpen: boolean;
  readonly onClose: () => void;
}

interface DialogProps extends DialogState {
  readonly title: string;
  readonly description?: ReactNode;
  readonly width?: 'small' | 'medium' | 'large';
  readonly children?: ReactNode;
}

const WIDTHS = { small: 'max-w-104', medium: 'max-w-140', large: 'max-w-200' } as const;

/** The rest of the page is inert while the dialog is open. When it closes, the focus returns to where it was. */
export function Dialog(props: DialogProps) {
  return props.isOpen ? <OpenDialog {...props} /> : null;
}

function OpenDialog({ onClose, title, description, width = 'small', children }: DialogProps) {
  const id = useId();
  const modal = useModal(onClose);
  return (
    <dialog
      {...modal}
      aria-labelledby={`${id}-title`}
      aria-describedby={description ? `${id}-text` : undefined}
      className={classNames(
        'm-auto max-h-[calc(100dvh-32px)] w-[calc(100%-32px)] overflow-y-auto rounded-dialog border border-line bg-surface text-ink shadow-float outline-none backdrop:bg-scrim open:animate-rise',
        WIDTHS[width],
      )}
    >
      <h2 id={`${id}-title`} className="pt-5 pr-14 pl-6 font-strong text-title wrap-anywhere">
        {title}
      </h2>
      {description ? (
        <p id={`${id}-text`} className="mt-1 px-6 text-control text-ink-2 wrap-anywhere">
          {description}
        </p>
      ) : null}
      <div className="px-6 pt-5 pb-6">{children}</div>
      {/* Comes last in the order of focus, so that the dialog opens with the focus in its first field. */}
      <IconButton label="Close" data-closes onClick={onClose} className="absolute top-4 right-4">
        <X aria-hidden size={16} />
      </IconButton>
    </dialog>
  );
}

export function DialogActions({ children }: { readonly children: ReactNode }) {
  return <div className="mt-6 flex flex-wrap justify-end gap-2">{children}</div>;
}

interface FormActionsProps {
  readonly onClose: () => void;
  readonly submitLabel: string;
  readonly isBusy?: boolean;
  readonly isDisabled?: boolean;
  readonly variant?: 'primary' | 'danger';
}

export function FormActions(props: FormActionsProps) {
  const { onClose, submitLabel, isBusy = false, isDisabled = false, variant = 'primary' } = props;
  return (
    <DialogActions>
      <Button onClick={onClose}>Cancel</Button>
      <Button type="submit" variant={variant} isBusy={isBusy} disabled={isDisabled}>
        {submitLabel}
      </Button>
    </DialogActions>
  );
}

interface ConfirmDialogProps extends DialogState {
  readonly title: string;
  readonly description: ReactNode;
  readonly confirmLabel: string;
  /** A text that the user has to type first, for actions that destroy a lot. */
  readonly typed?: string;
  /** The dialog closes when this has succeeded. Otherwise it shows the failure. */
  readonly onConfirm: () => Promise<unknown>;
}

export function ConfirmDialog(props: ConfirmDialogProps) {
  const { isOpen, onClose, title, description } = props;
  return (
    <Dialog isOpen={isOpen} onClose={onClose} title={title} description={description}>
      <ConfirmForm {...props} />
    </Dialog>
  );
}

function ConfirmForm({ onClose, confirmLabel, typed, onConfirm }: ConfirmDialogProps) {
  const [text, setText] = useState('');
  const { isBusy, error, submit } = useSubmit();
  const id = useId();
  const confirm = (event: SyntheticEvent) => {
    event.preventDefault();
    submit(async (signal) => {
      await onConfirm();
      // The dialog may be open again by now.
      if (!signal.aborted) onClose();
    });
  };
  return (
    <form onSubmit={confirm}>
      {typed === undefined ? null : (
        <label htmlFor={id} className="grid gap-1.5 text-control text-ink-2">
          <span>
            Type <b className="font-strong text-ink wrap-anywhere">{typed}</b> to confirm
          </span>
          <input
            id={id}
            autoComplete="off"
            spellCheck={false}
            value={text}
            onChange={(event) => setText(event.target.value)}
            className="h-9 rounded-control border border-line bg-surface px-3 text-body text-ink"
          />
        </label>
      )}
      <ErrorNotice error={error} className="mt-4" />
      <FormActions
        onClose={onClose}
        submitLabel={confirmLabel}
        isBusy={isBusy}
        isDisabled={typed !== undefined && asShown(text) !== asShown(typed)}
        variant="danger"
      />
    </form>
  );
}

/** A page shows several blanks as one, so the user cannot know how many to type. */
function asShown(text: string): string {
  return text.trim().replaceAll(/\s+/g, ' ');
}
