import { useQuery } from '@tanstack/react-query';
import { type ReactNode, useId, useState } from 'react';
import { meQuery } from '../../service/me.ts';
import { useService } from '../../service/service.ts';
import { Button } from '../../ui/button.tsx';
import { CardList } from '../../ui/card-list.tsx';
import { ConfirmDialog } from '../../ui/dialog.tsx';
import { Loaded } from '../../ui/loaded.tsx';
import { Page } from '../../ui/page.tsx';
import { PageHeader } from '../../ui/page-header.tsx';
import { Skeleton } from '../../ui/skeleton.tsx';
import { DeleteAccount } from './delete-account.tsx';
import { PasswordForm } from './password-form.tsx';
import { ProfileForm } from './profile-form.tsx';

export function AccountPage() {
  const { client } = useService();
  const query = useQuery(meQuery(client));
  return (
    <Page>
      <PageHeader title="Account" description="Your account is the same in all projects." />
      <Loaded query={query} label="Account" skeleton={<Skeletons />} isQuiet>
        {(me) => (
          <CardList as="div">
            <Section
              title="Profile"
              text="Other members of your projects see your name and your address."
            >
              <ProfileForm key={me.id} me={me} />
            </Section>
            <Section
              title="Password"
              text="Another password signs out all your other browsers and programs."
            >
              <PasswordForm />
            </Section>
            <Section
              title="Sign out everywhere"
              text="Ends all sign-ins of your account, in all browsers and programs, within a second."
            >
              <SignOutEverywhere />
            </Section>
            <Section
              title="Delete the account"
              text="Projects that only you own must be deleted first, or get another owner. Your e-mail address is free afterwards."
            >
              <DeleteAccount />
            </Section>
          </CardList>
        )}
      </Loaded>
    </Page>
  );
}

interface SectionProps {
  readonly title: string;
  readonly text: string;
  readonly children: ReactNode;
}

function Section({ title, text, children }: SectionProps) {
  const id = useId();
  return (
    <section
      aria-labelledby={id}
      className="grid content-start gap-x-8 gap-y-4 p-4 sm:p-6 lg:grid-cols-[240px_minmax(0,1fr)]"
    >
      <div className="grid content-start gap-1">
        <h2 id={id} className="font-strong text-body">
          {title}
        </h2>
        <p className="text-control text-ink-2">{text}</p>
      </div>
      <div className="grid max-w-104">{children}</div>
    </section>
  );
}

function Skeletons() {
  return (
    <div className="grid gap-4 rounded-card border border-line bg-surface p-4 sm:p-6">
      <Skeleton className="h-5 w-32" />
      <Skeleton className="h-9 w-full max-w-104" />
      <Skeleton className="h-9 w-full max-w-104" />
    </div>
  );
}

function SignOutEverywhere() {
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
