import { existsSync, mkdirSync } from 'node:fs'
import { join } from 'node:path'
import axe, { type AxeResults } from 'axe-core'
import { type Browser, chromium, type Page } from 'playwright-core'
import { expect } from 'vitest'

/** Where systems have it; Debian's package is `chromium`. */
const program = ['/usr/bin/chromium', '/usr/bin/chromium-browser', '/usr/bin/google-chrome'].find((path) =>
  existsSync(path),
)

/** Whether there is a browser to test with; says so when not. */
export function hasChromium(): boolean {
  if (program === undefined)
    console.warn('SKIPPED: chromium is not installed; pages are not tried in a browser')
  return program !== undefined
}

export function startChromium(): Promise<Browser> {
  return chromium.launch({
    executablePath: program ?? '',
    args: [
      // Root has none; the pages are our own.
      ...(process.getuid?.() === 0 ? ['--no-sandbox'] : []),
      '--disable-dev-shm-usage',
      // A host like any other: not the own machine, to which browsers are kinder.
      '--host-resolver-rules=MAP forge.example 127.0.0.1',
    ],
  })
}

const results = join(import.meta.dirname, '../../test-results/pages')

const looks = [
  { name: 'light', colorScheme: 'light', width: 1280 },
  { name: 'dark', colorScheme: 'dark', width: 1280 },
  { name: 'phone', colorScheme: 'light', width: 390 },
  { name: 'phone-dark', colorScheme: 'dark', width: 320 },
] as const

/**
 * Expects of what a page shows now that everybody can use it: light and dark, wide and on a phone. Keeps a picture of
 * each in test-results/pages.
 */
export async function expectAccessible(page: Page, name: string): Promise<void> {
  mkdirSync(results, { recursive: true })
  await page.evaluate(axe.source)
  for (const look of looks) {
    await page.emulateMedia({ colorScheme: look.colorScheme })
    await page.setViewportSize({ width: look.width, height: 800 })
    await page.screenshot({ path: join(results, `${name}-${look.name}.png`), fullPage: true })
    expect({ look: look.name, problems: await problemsOf(page) }).toEqual({ look: look.name, problems: [] })
  }
  await page.emulateMedia({ colorScheme: 'light' })
  await page.setViewportSize({ width: 1280, height: 800 })
}

/** What axe finds, and whether one must scroll to the side. */
async function problemsOf(page: Page): Promise<string[]> {
  const { violations } = await page.evaluate<AxeResults>('axe.run()')
  const found = violations.flatMap(({ id, nodes }) =>
    nodes.map(({ html, target }) => `${id}: ${target.join(' ')} ${html}`),
  )
  const [content = 0, window = 0] = await page.evaluate<number[]>(
    '[document.documentElement.scrollWidth, document.documentElement.clientWidth]',
  )
  return content > window ? [...found, `wider than the window: ${content} > ${window}`] : found
}
