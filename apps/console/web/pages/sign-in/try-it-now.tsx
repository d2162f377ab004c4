import { Play } from 'lucide-react';
import { useService } from '../../service/service.ts';
import { Button } from '../../ui/button.tsx';
import { ErrorNotice } from '../../ui/error-notice.tsx';
import { useSubmit } from '../../ui/use-submit.ts';
import { usePreloadConversation } from '../sessions/use-preload-conversation.ts';
import { useStartTalking } from '../sessions/use-start-talking.ts';

export function TryItNow({ demoKey }: { readonly demoKey: string }) {
  const { signIn } = useService();
  const start = useStartTalking();
  const preload = usePreloadConversation();
  const { isBusy, error, submit } = useSubmit();
  const begin = async () => {
    preload();
    // The form closes as soon as the sign-in is reported, so the conversation is created before that.
    const token = await demoLogin(demoKey);
    await signIn.acceptDuring(token, async () => await start());
  };
  return (
    <div className="mt-5 grid gap-2">
      <Button
        variant="primary"
        size="large"
        className="w-full"
        isBusy={isBusy}
        icon={<Play aria-hidden size={18} fill="currentColor" />}
        onPointerEnter={preload}
        onFocus={preload}
        onClick={() => submit(begin)}
      >
        Try it now
      </Button>
      <p className="text-center text-control text-ink-3">No sign-up, no keys, no microphone.</p>
      <ErrorNotice error={error} className="mt-2" />
    </div>
  );
}

async function demoLogin(key: string): Promise<string> {
  const headers = { authorization: `Bearer ${key}` };
  const answer = await fetch('/demo-login', { method: 'POST', cache: 'no-store', headers });
  if (answer.status === 403) {
    throw new Error(
      'The local stack refuses this page or its key. Open the first address that npm start prints.',
    );
  }
  if (!answer.ok) {
    throw new Error(
      'The local stack could not sign in to its demo account. Sign up below, or check console.log in the folder of logs that npm start prints.',
    );
  }
  const { token }: { readonly token: string } = await answer.json();
  return token;
}
