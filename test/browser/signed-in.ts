import type { Page } from 'playwright-core'
import { w, type World } from '#test/world.ts'

/** Presses a button that sends a form, and waits for the page that follows. */
export async function press(page: Page, name: string): Promise<void> {
  await Promise.all([
    page.waitForEvent('load'),
    page.getByRole('button', { name, exact: true }).first().click(),
  ])
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
