import { useService } from '../service/service.ts';
import { Button } from '../ui/button.tsx';
import { Dialog, DialogActions, type DialogState } from '../ui/dialog.tsx';
import { ErrorNotice } from '../ui/error-notice.tsx';
import { absoluteText } from '../ui/time-text.ts';
import { useSubmit } from '../ui/use-submit.ts';

export function SignOutDialog({ isOpen, onClose }: DialogState) {
  return (
    <Dialog
      isOpen={isOpen}
      onClose={onClose}
      title="Sign out of this browser?"
      description="All tabs of this browser are signed out, and the token is forgotten here. A tab with unsaved changes of a template keeps showing them."
    >
      <Choice onClose={onClose} />
    </Dialog>
  );
}

function Choice({ onClose }: Pick<DialogState, 'onClose'>) {
  const { client, signIn } = useService();
  const { isBusy, error, submit } = useSubmit();
  const { expiresAt } = client.auth;
  const leaveEverywhere = async () => {
    await client.account.signOut();
    signIn.forget();
  };
  return (
    <>
      <p className="text-control text-ink-2">
        Where the token was copied to, it stays valid
        {expiresAt ? ` until ${absoluteText(expiresAt.getTime())}.` : ' until it expires.'} Signing
        out everywhere ends it, and signs out all your other browsers and programs too.
      </p>
      <ErrorNotice error={error} />
      <DialogActions>
        <Button onClick={onClose}>Stay</Button>
        <Button isBusy={isBusy} onClick={() => submit(leaveEverywhere)}>
          Sign out everywhere
        </Button>
        <Button variant="primary" onClick={() => signIn.forget()}>
          Sign out
        </Button>
      </DialogActions>
    </>
  );
}
