import { useService } from '../service/service.ts';
import { Button } from '../ui/button.tsx';
import { Dialog, DialogActions } from '../ui/dialog.tsx';
import { absoluteText } from '../ui/time-text.ts';

interface SignOutDialogProps {
  readonly isOpen: boolean;
  readonly onClose: () => void;
}

export function SignOutDialog({ isOpen, onClose }: SignOutDialogProps) {
  const { client, signIn } = useService();
  const { expiresAt } = client.auth;
  return (
    <Dialog
      isOpen={isOpen}
      onClose={onClose}
      title="Sign out of this browser?"
      description="All tabs of this browser are signed out, and the token is forgotten here."
    >
      <p className="text-control text-ink-2">
        The service cannot take a token back. Where it was copied to, it stays valid
        {expiresAt ? ` until ${absoluteText(expiresAt.getTime())}.` : ' until it expires.'}
      </p>
      <DialogActions>
        <Button onClick={onClose}>Stay</Button>
        <Button variant="primary" onClick={() => signIn.forget()}>
          Sign out
        </Button>
      </DialogActions>
    </Dialog>
  );
}
