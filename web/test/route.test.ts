// SPDX-License-Identifier: Apache-2.0
// Going from form to form by the address; a form that must stay keeps its address.
import { afterEach, beforeEach, expect, test, vi } from "vitest";
import { Route } from "../src/state/route";
import { settled } from "./fake-server";

class FakeLocation {
  private value = "";

  get hash(): string {
    return this.value;
  }

  set hash(hash: string) {
    const next = hash && `#${hash}`;
    if (next === this.value) return;
    this.value = next;
    setImmediate(() => window.dispatchEvent(new Event("hashchange")));
  }
}

let route: Route;

beforeEach(() => {
  vi.stubGlobal("window", new EventTarget());
  vi.stubGlobal("location", new FakeLocation());
  location.hash = "form=a";
  route = new Route();
  route.listen();
});

afterEach(() => vi.unstubAllGlobals());

/** The browser tells about a new address a little later. */
async function told(): Promise<void> {
  await settled();
  await settled();
}

test("the address leads, and follows", async () => {
  expect(route.get()).toBe("a");
  location.hash = "";
  await told();
  expect(route.get()).toBeNull();
  await route.open("b");
  expect([route.get(), location.hash]).toEqual(["b", "#form=b"]);
});

test("a form stays in sight until it may be left", async () => {
  let allow: (answer: boolean) => void = () => undefined;
  route.guard(() => new Promise((resolve) => (allow = resolve)));
  location.hash = "";
  await told();
  expect(route.get()).toBe("a");
  location.hash = "form=c";
  await told();
  allow(true);
  await told();
  expect(route.get()).toBe("c");
});

test("a form that may not be left gets its address back", async () => {
  const asked: unknown[] = [];
  const release = route.guard(async (to) => {
    asked.push(to);
    return false;
  });
  location.hash = "form=b";
  await told();
  await told();
  expect([route.get(), location.hash]).toEqual(["a", "#form=a"]);
  await route.open(null);
  expect([route.get(), location.hash]).toEqual(["a", "#form=a"]);
  expect(asked).toEqual(["b", null]);
  release();
  await route.open("b");
  expect(route.get()).toBe("b");
});

test("who insists is not asked", async () => {
  const guard = vi.fn(async () => false);
  route.guard(guard);
  route.goTo("b");
  await told();
  expect([route.get(), location.hash]).toEqual(["b", "#form=b"]);
  expect(guard).not.toHaveBeenCalled();
});
