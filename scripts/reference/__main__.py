"""Write the pages that are made from the code: `make reference`."""

from scripts.reference.pages import ROOT, written_pages


def main() -> None:
    for path, text in written_pages().items():
        file = ROOT / path
        if not file.exists() or file.read_text() != text:
            file.write_text(text)
            print(f"{path} is written.")


if __name__ == "__main__":
    main()
