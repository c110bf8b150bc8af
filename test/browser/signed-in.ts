import type { Locator, Page } from 'playwright-core'
import { w, type World } from '#test/world.ts'

/** Clicks something that leads to another page, and waits for that page. */
export async function follow(page: Page, what: Locator): Promise<void> {
  await what.waitFor()
  // A click may have led to this page, which is still loading: its end must not be taken for that of the next one.
  await page.waitForLoadState()
  await Promise.all([page.waitForEvent('load'), what.click()])
}

/** Presses a button that sends a form, and waits for the page that follows. */
export function press(page: Page, name: string): Promise<void> {
  return follow(page, page.getByRole('button', { name, exact: true }).first())
}

/** Signs somebody in on the page of a browser. */
export async function signInOn(
  page: Page,
  { username, password }: { readonly username: string; readonly password: string },
  world: World = w,
): Promise<void> {
  await world.running.services.limits.forget()
  await page.goto(`${world.url}/users/sign_in`)
  await page.fill('#login', username)
  await page.fill('#password', password)
  await press(page, 'Sign in')
}
