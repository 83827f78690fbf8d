// SPDX-License-Identifier: Apache-2.0
// The server, as functions. Every request carries the token; none goes anywhere else.
import type { Field, PageFields, PageSize, Thresholds } from "./model/field";
import type { Guides } from "./model/snapping";

const STORED_TOKEN = "acromeld-review-token";

export type FormStatus = "new" | "review" | "done" | "failed";

export interface Session {
  readonly version: string;
  readonly folder: boolean;
  readonly path: string;
  readonly form: string | null;
}

export interface WorkItem {
  readonly key: string;
  readonly name: string;
  readonly status: FormStatus;
  readonly fields: number;
  readonly pages: number;
  readonly message: string | null;
  readonly changed: string | null;
}

export interface FormInfo {
  readonly name: string;
  readonly stage: "opening" | "detecting" | "ready" | "failed";
  readonly done: number;
  readonly total: number;
  readonly message: string | null;
  readonly fieldsFile: string;
  readonly fillableFile: string;
  readonly sha256?: string;
  readonly pages?: readonly PageSize[];
  readonly status?: FormStatus;
}

export interface FormFields {
  readonly revision: number;
  readonly thresholds: Thresholds;
  readonly calibrated: Thresholds;
  readonly detector: string | null;
  readonly notes: readonly string[];
  readonly document: Readonly<Record<string, unknown>>;
  readonly pages: readonly PageFields[];
}

export interface Change {
  readonly base: number;
  readonly pages: Readonly<Record<number, readonly Field[]>>;
  readonly thresholds: Thresholds;
  readonly take_over?: boolean;
}

export interface Saved {
  readonly file: string;
  readonly written: number;
  readonly dropped: number;
  readonly notes: readonly string[];
}

/** An answer that is not the one asked for; `message` is a sentence for the person. */
export class ApiError extends Error {
  constructor(
    readonly status: number,
    message: string,
    readonly code: string | null = null,
  ) {
    super(message);
  }
}

/** Nobody answers: the program was stopped or has crashed. */
export class Unreachable extends Error {}

/** Takes the token out of the address, so that it is neither bookmarked nor shown, and keeps it for reloads. */
export function claimToken(): void {
  const given = /(?:^#|&)token=([^&]+)/.exec(location.hash)?.[1];
  if (given === undefined) return;
  localStorage.setItem(STORED_TOKEN, given);
  const rest = /(?:^#|&)(form=[0-9a-f]+)/.exec(location.hash)?.[1];
  history.replaceState(null, "", location.pathname + (rest ? `#${rest}` : ""));
}

async function request(path: string, options: RequestInit = {}): Promise<Response> {
  const headers = new Headers(options.headers);
  headers.set("Authorization", `Bearer ${localStorage.getItem(STORED_TOKEN) ?? ""}`);
  if (options.body) headers.set("Content-Type", "application/json");
  let response: Response;
  try {
    response = await fetch(`/api/${path}`, { ...options, headers });
  } catch {
    throw new Unreachable("The review program does not answer.");
  }
  if (!response.ok) throw await failure(response);
  return response;
}

async function failure(response: Response): Promise<ApiError> {
  try {
    const body = (await response.json()) as { detail?: string; code?: string };
    return new ApiError(response.status, body.detail ?? response.statusText, body.code ?? null);
  } catch {
    return new ApiError(response.status, `The server answered ${response.status}.`);
  }
}

async function json<T>(path: string, options?: RequestInit): Promise<T> {
  return (await request(path, options)).json() as Promise<T>;
}

function post<T>(path: string, body: object): Promise<T> {
  return json<T>(path, { method: "POST", body: JSON.stringify(body) });
}

export const getSession = (): Promise<Session> => json("session");
export const getForms = async (): Promise<readonly WorkItem[]> => (await json<{ forms: WorkItem[] }>("forms")).forms;
export const getForm = (key: string): Promise<FormInfo> => json(`forms/${key}`);
export const getFields = (key: string): Promise<FormFields> => json(`forms/${key}/fields`);
export const getRevision = async (key: string): Promise<number> =>
  (await json<{ revision: number }>(`forms/${key}/revision`)).revision;
export const getGuides = (key: string, page: number): Promise<Guides> => json(`forms/${key}/pages/${page}/guides`);

/** What browsers still send when the window is closing. */
const KEEPALIVE_BYTES = 60_000;

export async function putFields(key: string, change: Change): Promise<number> {
  const body = JSON.stringify(change);
  const options = { method: "PUT", body, keepalive: new Blob([body]).size < KEEPALIVE_BYTES };
  return (await json<{ revision: number }>(`forms/${key}/fields`, options)).revision;
}

/** A page as the address of a picture in memory; the caller revokes it. */
export async function getPicture(key: string, page: number, size: number, signal: AbortSignal): Promise<string> {
  const response = await request(`forms/${key}/pages/${page}/picture?size=${size}`, { signal });
  return URL.createObjectURL(await response.blob());
}

export async function getPreview(key: string): Promise<{ data: ArrayBuffer; notes: readonly string[] }> {
  const response = await request(`forms/${key}/preview`);
  const notes = JSON.parse(decodeURIComponent(response.headers.get("X-Notes") ?? "[]")) as string[];
  return { data: await response.arrayBuffer(), notes };
}

export function saveFillable(key: string, wish: { overwrite?: boolean; another?: boolean }): Promise<Saved> {
  return post(`forms/${key}/fillable`, wish);
}

export function setStatus(key: string, status: "review" | "done"): Promise<unknown> {
  return post(`forms/${key}/status`, { status });
}
