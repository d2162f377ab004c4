import { isApiError } from '@session/client';
import { useSelector } from '@tanstack/react-store';
import { ChevronLeft } from 'lucide-react';
import { type ReactNode, type SyntheticEvent, useEffect, useRef } from 'react';
import { isKeptSignedOut, useService } from '../../service/service.ts';
import { Button } from '../../ui/button.tsx';
import { ErrorNotice } from '../../ui/error-notice.tsx';
import { Page } from '../../ui/page.tsx';

interface EditorFrameProps {
  readonly title: string;
  readonly error: Error | null;
  readonly isDirty: boolean;
  readonly isBusy: boolean;
  readonly onLeave: () => void;
  readonly onSave: () => void;
  readonly onReadAgain: () => void;
  readonly actions?: ReactNode;
  readonly children: ReactNode;
}

export function EditorFrame(props: EditorFrameProps) {
  const { title, error, isDirty, isBusy, onLeave, onSave, onReadAgain, actions, children } = props;
  const service = useService();
  const isSignedOut = useSelector(service.signIn.changes, () => isKeptSignedOut(service));
  const holdFocus = useHeldFocus(isBusy);
  const save = (event: SyntheticEvent) => {
    event.preventDefault();
    if (isBusy) return;
    holdFocus();
    onSave();
  };
  return (
    <Page>
      <form onSubmit={save} className="grid gap-6">
        <div className="grid gap-2">
          <button
            type="button"
            onClick={onLeave}
            className="inline-flex min-h-6 cursor-pointer items-center gap-1 justify-self-start rounded-control font-medium text-control text-iris"
          >
            <ChevronLeft aria-hidden size={14} /> Templates
          </button>
          <div className="flex flex-wrap items-center justify-between gap-x-6 gap-y-2">
            <h1
              ref={focusOnce}
              tabIndex={-1}
              className="min-w-0 font-strong text-head outline-none wrap-anywhere"
            >
              {title}
            </h1>
            <div className="flex flex-wrap gap-2">{actions}</div>
          </div>
        </div>
        {/* Text typed during a save would be lost. */}
        <div inert={isBusy} className="grid gap-6">
          {children}
        </div>
        {isApiError(error, 'changed_meanwhile') ? (
          <ChangedMeanwhile onReadAgain={onReadAgain} />
        ) : (
          <ErrorNotice error={error} />
        )}
        <div className="sticky bottom-0 -mx-4 flex flex-wrap items-center justify-end gap-2 border-line border-t bg-paper px-4 py-3">
          {isSignedOut ? (
            <p role="alert" className="mr-auto text-control text-gap">
              Your sign-in has ended. Sign in in another tab, then save.
            </p>
          ) : (
            <span className="mr-auto text-ink-3 text-label">{isDirty ? 'Not saved yet' : ''}</span>
          )}
          <Button onClick={onLeave}>Cancel</Button>
          <Button
            type="submit"
            variant="primary"
            isBusy={isBusy}
            disabled={!isDirty || isSignedOut}
          >
            Save
          </Button>
        </div>
      </form>
    </Page>
  );
}

function ChangedMeanwhile({ onReadAgain }: Pick<EditorFrameProps, 'onReadAgain'>) {
  return (
    <div
      role="alert"
      className="grid justify-items-start gap-2 rounded-card border border-gap/40 bg-gap-soft p-4 text-control"
    >
      <p className="font-strong text-ink">Somebody has changed this template meanwhile.</p>
      <p className="text-ink-2">
        This save changed nothing. Copy what you need, then open the template as it is now.
      </p>
      <Button size="small" onClick={onReadAgain}>
        Discard my changes and reopen
      </Button>
    </div>
  );
}

/**
 * Returns a function to call before a save. Inert fields lose the focus during the save. If the save fails, the focus returns.
 */
function useHeldFocus(isBusy: boolean): () => void {
  const held = useRef<Element | null>(null);
  useEffect(() => {
    const isLost = !isBusy && document.activeElement === document.body;
    if (isLost && held.current instanceof HTMLElement) held.current.focus();
  }, [isBusy]);
  return () => {
    held.current = document.activeElement;
  };
}

/** Focuses the heading, because the editor has replaced the list in which the focus was. */
function focusOnce(heading: HTMLHeadingElement | null): void {
  heading?.focus();
}
