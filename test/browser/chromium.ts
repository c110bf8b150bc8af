import { existsSync } from 'node:fs'
import { join } from 'node:path'
import axe, { type AxeResults } from 'axe-core'
import { type Browser, chromium, type Page } from 'playwright-core'
import { expect } from 'vitest'
import { PATIENCE } from '#test/patience.ts'

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
    timeout: 2 * PATIENCE,
    args: [
      // Root has none; the pages are our own.
      ...(process.getuid?.() === 0 ? ['--no-sandbox'] : []),
      '--disable-dev-shm-usage',
      // A host like any other: not the own machine, to which browsers are kinder.
      '--host-resolver-rules=MAP forge.example 127.0.0.1',
    ],
  })
}

/** Where pictures of the pages go, for who wants to look at them: `PAGES=pictures`. */
const pictures = join(import.meta.dirname, '../../test-results/pages')

/**
 * Colours follow the scheme, and everything else the width: both schemes and all widths are looked at for what they change,
 * and two looks that have nothing in common by all rules.
 */
const looks = [
  { name: 'light', colorScheme: 'light', width: 1280, rules: 'all' },
  { name: 'dark', colorScheme: 'dark', width: 1280, rules: 'of colours' },
  { name: 'phone', colorScheme: 'light', width: 390, rules: 'none' },
  { name: 'phone-dark', colorScheme: 'dark', width: 320, rules: 'all' },
] as const

/** Expects of what a page shows now that everybody can use it: light and dark, wide and on a phone. */
export async function expectAccessible(page: Page, name: string): Promise<void> {
  await page.waitForLoadState()
  await page.evaluate(axe.source)
  for (const { name: look, colorScheme, width, rules } of looks) {
    await page.emulateMedia({ colorScheme })
    await page.setViewportSize({ width, height: 800 })
    if (process.env['PAGES'] === 'pictures')
      await page.screenshot({ path: join(pictures, `${name}-${look}.png`), fullPage: true })
    const problems = [...(rules === 'none' ? [] : await brokenRules(page, rules)), ...(await tooWide(page))]
    expect({ look, problems }).toEqual({ look, problems: [] })
  }
  await page.emulateMedia({ colorScheme: 'light' })
  await page.setViewportSize({ width: 1280, height: 800 })
}

/** What axe finds. */
async function brokenRules(page: Page, which: 'all' | 'of colours'): Promise<string[]> {
  const options =
    which === 'all' ? '' : "{ runOnly: { type: 'rule', values: ['color-contrast', 'link-in-text-block'] } }"
  const { violations } = await page.evaluate<AxeResults>(`axe.run(${options})`)
  return violations.flatMap(({ id, nodes }) =>
    nodes.map(({ html, target }) => `${id}: ${target.join(' ')} ${html}`),
  )
}

/** Whether one must scroll to the side. */
async function tooWide(page: Page): Promise<string[]> {
  const [content = 0, window = 0] = await page.evaluate<number[]>(
    '[document.documentElement.scrollWidth, document.documentElement.clientWidth]',
  )
  return content > window ? [`wider than the window: ${content} > ${window}`] : []
}
