import type { Route } from 'playwright-core';
import { expect } from 'vitest';
import { say } from '../testing/conversations.ts';
import { journey } from '../testing/journey.ts';
import { hasFocus, tabTo } from '../testing/keyboard.ts';

const FIELD_HAS_FOCUS = () => document.activeElement?.matches('main textarea');

journey(
  'one click on Try it now leads to an answer, which a reload keeps',
  async ({ stack, open }) => {
    const page = await open(stack.demoUrl);
    const clickedAt = performance.now();
    await page.getByRole('button', { name: 'Try it now' }).click();
    await page.getByRole('list', { name: 'Something to say' }).waitFor();
    await page.waitForFunction(FIELD_HAS_FOCUS);
    const words = 'Good morning! Who is there?';
    await page.getByRole('button', { name: words }).click();
    await page.getByText(`You said: ${words}`).first().waitFor();
    process.stdout.write(`Try it now to the first answer: ${performance.now() - clickedAt} ms\n`);
    const conversation = page.url();
    await page.reload();
    await page.getByText(`You said: ${words}`).first().waitFor();
    expect(page.url()).toBe(conversation);
  },
);

journey(
  'keys pressed right after Try it now do nothing, and the field takes the focus',
  async ({ stack, open }) => {
    const page = await open(stack.demoUrl);
    await page.getByRole('button', { name: 'Try it now' }).click();
    // L would lead to the logs, M would ask for the microphone, and Space would press the button again.
    await page.keyboard.type('Hello, my little friend! ', { delay: 40 });
    const field = page.getByRole('textbox', { name: 'Message' });
    await field.waitFor();
    await page.waitForFunction(FIELD_HAS_FOCUS);
    await field.fill('');
    await page.keyboard.type('M', { delay: 40 });
    expect(await field.inputValue()).toBe('M');
    await page.getByRole('button', { name: 'Talk', exact: true }).waitFor();
    await field.fill('');
  },
);

journey(
  'keys pressed before the page of a conversation is loaded do nothing either',
  async ({ ada, open }) => {
    const asked = Promise.withResolvers<Route>();
    const page = await open('/', {
      as: ada,
      before: async (opened) => {
        await opened.route('**/session-page-*.js', asked.resolve);
      },
    });
    const button = page.getByRole('button', { name: 'Start talking' });
    await button.click();
    const chunk = await asked.promise;
    await page.waitForURL('**/sessions/*');
    await button.waitFor({ state: 'detached' });
    await page.evaluate(() => {
      addEventListener('keydown', ({ key }) => document.body.setAttribute('data-heard', key));
    });
    await page.keyboard.type('Hello');
    expect(await page.locator('body').getAttribute('data-heard')).toBeNull();
    await chunk.continue();
    await page.waitForFunction(FIELD_HAS_FOCUS);
    expect(await page.getByRole('textbox', { name: 'Message' }).inputValue()).toBe('');
  },
);

journey(
  'Try it now again continues the conversation instead of making another project',
  async ({ stack, open }) => {
    const visits: string[] = [];
    while (visits.length < 2) {
      const page = await open(stack.demoUrl);
      await page.getByRole('button', { name: 'Try it now' }).click();
      await page.waitForURL('**/sessions/*');
      visits.push(page.url());
      await page.goto('/?all=true');
      const projects = page.getByRole('list', { name: 'Projects' }).getByRole('link');
      await projects.first().waitFor();
      expect(await projects.allInnerTexts()).toEqual(['First project']);
      await page.context().close();
    }
    expect(visits[1]).toBe(visits[0]);
  },
);

// In this file, because all visitors of the demo account share one conversation, and this test closes it.
journey(
  'the keyboard alone tries the console, talks, and closes the session',
  async ({ stack, open, axe }) => {
    const page = await open(stack.demoUrl);
    await tabTo(page.getByRole('button', { name: 'Try it now' }));
    await page.keyboard.press('Enter');
    await page.waitForURL('**/sessions/*');
    const composer = page.getByRole('textbox', { name: 'Message' });
    await expect.poll(async () => await hasFocus(composer)).toBe(true);
    await page.keyboard.type('Good morning');
    await page.keyboard.press('Enter');
    await page.getByText('You said: Good morning', { exact: true }).waitFor();
    await axe(page);
    await tabTo(page.getByRole('button', { name: 'Close', exact: true }));
    await page.keyboard.press('Enter');
    const dialog = page.getByRole('dialog').or(page.getByRole('alertdialog'));
    await dialog.waitFor();
    await axe(page);
    await tabTo(dialog.getByRole('button', { name: 'Close session' }));
    await page.keyboard.press('Enter');
    await page.getByText(/Closed at/).waitFor();
  },
);

journey(
  'an address without the key of the demo account says where it is; the key leaves the address, and is kept',
  async ({ stack, open, axe }) => {
    const page = await open('/');
    await page.getByText('To try it without an account', { exact: false }).waitFor();
    expect(await page.getByRole('button', { name: 'Try it now' }).count()).toBe(0);
    await axe(page);
    // A browser does not load a page again for what follows the #.
    await page.goto(`${page.url()}${new URL(stack.demoUrl).hash}`);
    await page.getByRole('button', { name: 'Try it now' }).waitFor();
    expect(new URL(page.url()).hash).toBe('');
    await page.goto('/');
    await page.getByRole('button', { name: 'Try it now' }).waitFor();
  },
);

journey('a key of another stack leads to the right address', async ({ open, expectFault }) => {
  expectFault(/status of 403/);
  const page = await open('/#demo=of-another-stack');
  await page.getByRole('button', { name: 'Try it now' }).click();
  await page.getByText('Open the first address that npm start prints.', { exact: false }).waitFor();
});

journey('a visitor signs up and starts talking without typing more', async ({ open }) => {
  const page = await open('/');
  await page.getByRole('link', { name: 'Sign up' }).click();
  await page.getByLabel('Name').fill('Ada Park');
  await page.getByLabel('E-mail').fill(`${crypto.randomUUID()}@example.org`);
  await page.getByLabel('Password').fill('correct horse');
  await page.getByRole('button', { name: 'Sign up' }).click();
  await page.getByRole('button', { name: 'Start talking' }).click();
  await page.waitForURL('**/sessions/*');
  await page.waitForFunction(FIELD_HAS_FOCUS);
});

journey(
  'a browser that is still joining the room: words can be said, and are answered',
  async ({ ada, open }) => {
    const page = await open('/', {
      as: ada,
      // LiveKit’s SDK never arrives.
      before: (opened) => opened.route(/livekit-client/, () => {}),
    });
    await page.getByRole('button', { name: 'Start talking' }).click();
    await say(page, 'Is anybody there?');
    await page.getByText('You said: Is anybody there?').first().waitFor();
  },
);

journey(
  'an address with an account: the form says so beside the field',
  async ({ ada, open, expectFault }) => {
    expectFault(/status of 409/);
    const page = await open('/sign-up');
    await page.getByLabel('Name').fill('Somebody else');
    await page.getByLabel('E-mail').fill(ada.email);
    await page.getByLabel('Password').fill('correct horse');
    await page.getByRole('button', { name: 'Sign up' }).click();
    await page.getByText('This address has an account already').waitFor();
    expect(await page.getByLabel('E-mail').getAttribute('aria-invalid')).toBe('true');
  },
);

journey(
  'a wrong password is a sentence, and what was typed stays',
  async ({ ada, open, expectFault }) => {
    expectFault(/status of 401/);
    const page = await open('/sign-in');
    await page.getByLabel('E-mail').fill(ada.email);
    await page.getByLabel('Password').fill('wrong horse');
    await page.getByRole('button', { name: 'Sign in' }).click();
    await page.getByText('The e-mail address or the password is wrong').waitFor();
    expect(await page.getByLabel('E-mail').inputValue()).toBe(ada.email);
  },
);
