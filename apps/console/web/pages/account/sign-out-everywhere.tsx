import { useState } from 'react';
import { useService } from '../../service/service.ts';
import { Button } from '../../ui/button.tsx';
import { ConfirmDialog } from '../../ui/dialog.tsx';

export function SignOutEverywhere() {
  const { client, signIn } = useService();
  const [isAsking, setAsking] = useState(false);
  const leave = async () => {
    await client.account.signOut();
    signIn.forget();
  };
  return (
    <>
      <Button className="justify-self-start" onClick={() => setAsking(true)}>
        Sign out everywhere …
      </Button>
      <ConfirmDialog
        isOpen={isAsking}
        onClose={() => setAsking(false)}
        title="Sign out everywhere?"
        description="This browser is signed out too. API keys of your projects stay valid."
        confirmLabel="Sign out everywhere"
        onConfirm={leave}
      />
    </>
  );
}
