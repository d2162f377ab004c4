import type { UserRow } from '@session/db';
import type { Mail } from '../../mail/mailer.ts';
import { inOneLine } from '../../mail/one-line.ts';

export function invitationMail(invitation: {
  readonly email: string;
  readonly projectName: string;
  readonly by: Pick<UserRow, 'name' | 'email'>;
  readonly link: string;
}): Mail {
  const { email, by, link } = invitation;
  const project = inOneLine(invitation.projectName);
  return {
    to: email,
    subject: `Invitation to the project “${project}”`,
    text: `${inOneLine(by.name)} (${by.email}) invites you to the project “${project}”.

To join it, open this link within 7 days. It works once, for whoever has it:

${link}

If you do not know this person, ignore this mail.
`,
  };
}
