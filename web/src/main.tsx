// First: what a feature says of its own parts comes after what holds for all.
import "./shared/theme.css";
import { StrictMode, startTransition } from "react";
import { createRoot } from "react-dom/client";
import { BrowserRouter } from "@/shared/router";
import { App } from "./app/App";
import { takeAnswer } from "./app/answered";
import { keepOffline } from "./app/offline";
import { firstPage } from "./app/pages";
import { Providers } from "./app/providers";
import { preferred, speak } from "./shared/i18n";

const root = document.getElementById("root");
if (!root) throw new Error("index.html has no #root");

// As a transition, which makes way for what the browser has to do meanwhile.
const show = () =>
  startTransition(() =>
    createRoot(root).render(
      <StrictMode>
        <Providers>
          <BrowserRouter>
            <App />
          </BrowserRouter>
        </Providers>
      </StrictMode>,
    ),
  );
takeAnswer();
void Promise.all([speak(preferred()), firstPage(location.pathname)]).then(show);

keepOffline();
