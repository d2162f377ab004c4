import { Play } from 'lucide-react';
import { demoLogin } from '../../service/demo-login.ts';
import { useService } from '../../service/service.ts';
import { Button } from '../../ui/button.tsx';
import { ErrorNotice } from '../../ui/error-notice.tsx';
import { useSubmit } from '../../ui/use-submit.ts';
import { usePreloadConversation } from '../sessions/use-preload-conversation.ts';
import { useStartTalking } from '../sessions/use-start-talking.ts';

/** One click to a first conversation, as the demo account of a local stack. */
export function TryItNow({ demoKey }: { readonly demoKey: string }) {
  const { signIn, typeAhead } = useService();
  const start = useStartTalking();
  const preload = usePreloadConversation();
  const { isBusy, error, submit } = useSubmit();
  const begin = async () => {
    preload();
    // The form leads away as soon as a user is signed in, so the conversation is created before that is reported.
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
        onClick={() => submit(async () => await typeAhead.during(begin))}
      >
        Try it now
      </Button>
      <p className="text-center text-control text-ink-3">No sign-up, no keys, no microphone.</p>
      {error ? <ErrorNotice error={error} className="mt-2" /> : null}
    </div>
  );
}
