import { expect } from 'vitest';
import { journey } from '../testing/journey.ts';
import { WatchedPage } from '../testing/watched-page.ts';

journey(
  'an error, a forbidden request and unreadable words each count as a fault',
  async ({ browser }) => {
    const watched = await WatchedPage.open(browser, '/sign-in', {});
    await watched.page.getByRole('heading', { level: 1 }).waitFor();
    expect(watched.faults([])).toEqual([]);
    await watched.page.evaluate(`console.error('a message of a page')`);
    await watched.page.evaluate(() => {
      setTimeout(() => {
        throw new Error('nobody catches this');
      });
      const image = document.createElement('img');
      image.src = 'http://127.0.0.1:1/foreign.png';
      const words = document.createElement('p');
      words.textContent = 'words that nobody can read';
      words.style.color = 'var(--color-line)';
      document.body.append(image, words);
    });
    await expect.poll(() => watched.faults([]).join('\n')).toContain('nobody catches this');
    const faults = watched.faults([]).join('\n');
    expect(faults).toContain('a message of a page');
    expect(faults).toContain('Content Security Policy');
    expect(watched.faults([/a message/, /nobody catches/, /foreign\.png/])).toEqual([]);
    const violations = (await watched.violations()).join('\n');
    expect(violations).toContain('light theme, color-contrast');
    expect(violations).toContain('dark theme, color-contrast');
    await watched.close();
  },
);
